import Testing

@testable import VirtualLine

/// Which boards lie on a line with fewer places than boards.
@Suite struct LineTrayTests {
  private func lying(_ tray: LineTray, of boards: Int) -> [Int] { (0..<boards).filter(tray.holds) }

  @Test func withoutPlacesAllLieThereForEver() {
    var tray = LineTray(boards: 5, places: nil, rest: .seconds(10))
    tray.linked(0)
    tray.left(0, isGood: false, at: .seconds(1))
    tray.turn(at: .seconds(100))
    #expect(lying(tray, of: 5) == [0, 1, 2, 3, 4])
  }

  @Test func aBoardThatWasLeftAloneMakesRoomForTheNext() {
    var tray = LineTray(boards: 4, places: 2, rest: .seconds(10))
    #expect(lying(tray, of: 4) == [0, 1])
    tray.turn(at: .seconds(50))
    #expect(lying(tray, of: 4) == [0, 1], "a board that nobody has connected yet stays")
    tray.linked(1)
    tray.turn(at: .seconds(100))
    #expect(lying(tray, of: 4) == [0, 1], "and so does one with a link")
    tray.left(1, isGood: false, at: .seconds(100))
    tray.turn(at: .milliseconds(109_999))
    #expect(lying(tray, of: 4) == [0, 1])
    tray.linked(1)
    tray.left(1, isGood: false, at: .seconds(109))
    tray.turn(at: .seconds(118))
    #expect(lying(tray, of: 4) == [0, 1], "a link begins the rest anew")
    tray.turn(at: .seconds(119))
    #expect(lying(tray, of: 4) == [0, 2])
  }

  @Test func theLastOnesStay() {
    var tray = LineTray(boards: 3, places: 2, rest: .seconds(10))
    for board in 0..<2 {
      tray.linked(board)
      tray.left(board, isGood: false, at: .zero)
    }
    tray.turn(at: .seconds(10))
    #expect(lying(tray, of: 3) == [1, 2], "only as many go as there are others")
    tray.left(2, isGood: false, at: .seconds(10))
    tray.turn(at: .seconds(60))
    #expect(lying(tray, of: 3) == [1, 2])
  }

  @Test func aGoodBoardIsSoonTakenAway() {
    var tray = LineTray(boards: 3, places: 1, rest: .seconds(10))
    tray.linked(0)
    tray.left(0, isGood: true, at: .zero)
    tray.turn(at: .milliseconds(2999))
    #expect(lying(tray, of: 3) == [0])
    tray.turn(at: .seconds(3))
    #expect(lying(tray, of: 3) == [1])
  }

  @Test func morePlacesThanBoards() {
    #expect(lying(LineTray(boards: 2, places: 9, rest: .zero), of: 9) == [0, 1])
  }
}

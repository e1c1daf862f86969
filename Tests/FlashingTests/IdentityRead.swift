import Flashing

/// Flashing's own, in files that also see the virtual line's type of the same name.
typealias IdentityRead = BoardIdentity

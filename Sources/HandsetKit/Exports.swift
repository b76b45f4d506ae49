// A program that imports HandsetKit sees the values that client and daemon share, without naming their modules.
@_exported public import CallModel
@_exported public import ControlProtocol
@_exported public import MediaDescription
@_exported public import Screening

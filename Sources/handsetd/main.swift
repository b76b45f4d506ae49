internal import Glibc
internal import HandsetDaemon

exit(DaemonMain.run(Array(CommandLine.arguments.dropFirst())))

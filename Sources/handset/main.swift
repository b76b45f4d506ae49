import Glibc
import HandsetCommand

exit(HandsetProgram.run(Array(CommandLine.arguments.dropFirst())))

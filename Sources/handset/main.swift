import Glibc
import HandsetCommand

exit(await HandsetProgram.run(Array(CommandLine.arguments.dropFirst())))

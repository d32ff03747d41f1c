internal import Glibc

// Nothing else stands here: what is declared in this file belongs to the main actor, and the relay's threads must not need it.
exit(Program.run(Array(CommandLine.arguments.dropFirst())))

// The agent: composes the parts and serves its socket until it is told to end. All code with callbacks and threads lies in
// other files: what a C library calls must not be isolated to the main actor.
AgentProgram.run(Array(CommandLine.arguments.dropFirst()))

// Where the program begins: hands the command line to cli.ts and ends with the status that it returns. Run by package
// scripts. Nothing else may end the process.
import { runCli } from './cli.ts';

process.exit(await runCli(process.argv.slice(2), process.env, process.cwd()));

// The program's entry point: passes the command line to cli.ts and exits with the status that it returns. Run by package
// scripts. Nothing else may end the process. The compiler's settings are imported past the engine's door, which would load
// all of it before they apply.
import { tuneCompiler } from '../engine/compiler.ts';
import { watchOutput } from './process/lostOutput.ts';

tuneCompiler();
watchOutput();
const { runCli } = await import('./cli.ts');
process.exit(await runCli(process.argv.slice(2), process.env, process.cwd()));

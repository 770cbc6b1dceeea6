// Where the program begins: hands the command line to cli.ts and ends with the status that it returns. Run by package
// scripts. Nothing else may end the process.
import { tuneCompiler } from '../engine/compiler.ts';

tuneCompiler();
// uWebSockets.js reads this once, when it is loaded: lists of 500 tokens in a query are longer than its own 4 kB.
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= '65536';
// Who reads what is printed may go, and the disk under it may be full: that ends no exchange, and no command before its end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
const { runCli } = await import('./cli.ts');
process.exit(await runCli(process.argv.slice(2), process.env, process.cwd()));

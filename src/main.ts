import './postgres/embedded/launcher.ts';
import { flushLog } from './base/log.ts';
import { runCommand } from './commands/program.ts';

process.exitCode = await runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => {
    flushLog();
    process.stderr.write(text);
  },
  readInput: () => Bun.stdin.text(),
  environment: Bun.env,
});
process.exit();

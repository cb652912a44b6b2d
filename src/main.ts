import './postgres/embedded/launcher.ts';

// Only now: the launcher of a Postgres program needs none of the rest.
const [{ flushLog }, { runCommand }, { sentenceOf }] = await Promise.all([
  import('./base/log.ts'),
  import('./commands/program.ts'),
  import('./commands/sentence.ts'),
]);

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader has read enough, as `head` does.
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`${sentenceOf(error)}\n`);
  process.exit(1);
});
process.exitCode = await runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => {
    flushLog();
    process.stderr.write(text);
  },
  readInput: () => Bun.stdin.text(),
  environment: Bun.env,
});
// Text in a pipe is still on its way. Ending now would cut it off.
await new Promise<void>((written) => process.stdout.end(() => written()));
process.exit();

/**
 * Prints every statement that the program declares, as JSON: run as a process of its own, because
 * it must listen before the first module declares one.
 */
import { join } from 'node:path';
import { Glob } from 'bun';
import { listenToStatements, type Statement } from '../../src/postgres/statement.ts';

const declared: { file: string; made: () => Statement<unknown> }[] = [];
const source = join(import.meta.dir, '../../src');

// The file that declares it is the first one on the stack above `statement.ts`.
const declaringFile = () =>
  (new Error().stack ?? '')
    .split('\n')
    .map((line) => /\/src\/([\w./-]+\.tsx?):(\d+)/.exec(line))
    .find((found) => found && found[1] !== 'postgres/statement.ts')
    ?.slice(1)
    .join(':') ?? '?';

listenToStatements((made) => declared.push({ file: declaringFile(), made }));

const isProgram = (path: string) =>
  path !== 'main.ts' && !path.endsWith('.d.ts') && !/^app\/(browser\/|bundle)/.test(path);
for (const path of [...new Glob('**/*.{ts,tsx}').scanSync(source)].filter(isProgram).sort()) {
  await import(join(source, path));
}

const listed = declared.map(({ file, made }) => ({
  file,
  text: made().text,
  spread: made().inForm('spread').text,
  node: made().inForm('spread').seeks ? made().inForm('node').text : null,
}));
await Bun.write(Bun.stdout, JSON.stringify(listed));
process.exit(0);

/** A client that somebody's generator makes of our description: compiled, and run against a server. */
import { expect } from 'bun:test';
import { join } from 'node:path';
import { openApiDocument } from '../../src/api/document.ts';
import { makeFirm, owner, type TestServer } from './firm.ts';
import { runTool } from './tool.ts';

/** How long a generator and a compiler may take on a busy machine. */
export const compilerMilliseconds = 300_000;

const settings = {
  extends: '../../../../tsconfig.json',
  compilerOptions: {
    types: [],
    lib: ['ESNext', 'DOM', 'DOM.Iterable'],
    noUnusedLocals: false,
    // What a generator writes beside the types is not as strict as this.
    exactOptionalPropertyTypes: false,
    noUncheckedIndexedAccess: false,
  },
  include: ['./program.ts'],
};

/**
 * Has `generate` make the client in the folder of a test, three below the top, where the description is
 * `document.json`. Compiles the program that uses it, runs it as the owner of a new firm, and gives what
 * it prints.
 */
export const runGenerated = async (
  server: TestServer,
  folder: string,
  program: string,
  generate: (at: (name: string) => string) => Promise<void>,
): Promise<unknown> => {
  const firm = await makeFirm(server);
  const at = (name: string) => join(folder, name);
  await Bun.write(at('document.json'), JSON.stringify(await openApiDocument()));
  await Bun.write(at('program.ts'), program);
  await Bun.write(at('tsconfig.json'), JSON.stringify(settings));
  await generate(at);
  const checked = await runTool(['bunx', 'tsc', '--noEmit', '-p', folder]);
  expect(checked).toMatchObject({ exitCode: 0, out: '' });
  const ran = await runTool(['bun', at('program.ts')], {
    URL: server.url,
    KEY: firm.owner.key,
    MEMBER: firm.members[owner] ?? '',
  });
  expect({ exitCode: ran.exitCode, err: ran.err }).toEqual({ exitCode: 0, err: '' });
  return JSON.parse(ran.out);
};

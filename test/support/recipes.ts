/** The samples of the documents, taken out of the pages of a server and run as a reader would run them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';

export type Language = 'sh' | 'ts' | 'python';

/** Code of a page, and the heading that it stands under. */
export type Recipe = { heading: string; language: string; text: string };

/** Every sample of a page of the documents, as a reader of `url` sees it. */
export const recipesOf = async (
  url: string,
  page: string,
  headers: Record<string, string> = {},
): Promise<Recipe[]> => {
  const text = await (await fetch(`${url}${page}.md`, { headers })).text();
  const parts = text.matchAll(/^#+ (?<title>[^\n]+)$|^```(?<language>\w+)\n(?<code>.*?)^```$/gms);
  let heading = '';
  return [...parts].flatMap(({ groups = {} }) => {
    const { title, language, code = '' } = groups;
    if (title) heading = title;
    return language ? [{ heading, language, text: code }] : [];
  });
};

/** What runs a language, and what else its samples call. */
const programs: Record<Language, { words: string[]; needs: string[] }> = {
  sh: { words: ['sh', '-eu'], needs: ['curl', 'jq'] },
  ts: { words: ['bun', 'run'], needs: [] },
  python: { words: ['python3'], needs: ['python3'] },
};

/** A folder for a program, in which there are files already. */
export const folderWith = async (files: Record<string, string> = {}) => {
  const path = await mkdtemp(join(tmpdir(), 'matterhorn-recipe-'));
  atEnd(() => rm(path, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await Bun.write(join(path, name), text);
  return path;
};

/** Starts a program in a folder. */
export const startRecipe = async (
  language: Language,
  program: string,
  environment: Record<string, string>,
  cwd: string,
) => {
  const { words, needs } = programs[language];
  const missing = needs.filter((name) => !Bun.which(name));
  if (missing.length > 0)
    throw new Error(`The samples need what is not installed here: ${missing.join(', ')}.`);
  await Bun.write(join(cwd, 'program.ts'), program);
  return Bun.spawn([...words, 'program.ts'], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};

/** Runs a program to its end, in a folder of its own. */
export const runRecipe = async (
  language: Language,
  program: string,
  environment: Record<string, string>,
) => {
  const child = await startRecipe(language, program, environment, await folderWith());
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, out, err };
};

import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import { scripts } from '../../src/app/browser/scripts.ts';
import { keys } from '../../src/app/keys.ts';

const folder = join(import.meta.dir, '../../src/app');
const files = [...new Glob('**/*.{ts,tsx}').scanSync(folder)];
const textsOf = (all: string[]) =>
  Promise.all(all.map((file) => Bun.file(join(folder, file)).text()));
const isScript = (file: string) => file.startsWith('browser/');
const texts = await textsOf(files.filter((file) => !isScript(file)));
const ofScripts = await textsOf(files.filter(isScript));

/** What the HTML of all pages says in an attribute: written plainly, or as one of several values. */
const saidIn = (attribute: string) => {
  const written = new RegExp(`${attribute}'?(?:=\\{([^}]*)\\}|[=:] ?("[^"]*"|'[^']*'))`, 'g');
  const said = texts.flatMap((text) => [...text.matchAll(written)]);
  const quoted = said.flatMap(([, code, plain]) => [
    ...(code ?? plain ?? '').matchAll(/["']([^"']+)["']/g),
  ]);
  return new Set(quoted.flatMap(([, names = '']) => names.split(' ')));
};

describe('The scripts of pages', () => {
  test('each that a part of a page names is there, and each that is there is named', () => {
    const named = [...saidIn('data-script')].sort();
    expect(named.length).toBeGreaterThan(20);
    expect(named).toEqual(Object.keys(scripts).sort());
  });

  test('each key that presses a link or button is listed, and each listed one presses some', () => {
    const letters = keys
      .filter(({ pressed, path }) => !path && pressed.join('').match(/^[A-Z]$/))
      .map(({ pressed }) => pressed.join('').toLowerCase());
    // The button of an Undo is made by a script.
    const made = ofScripts.flatMap((text) => [...text.matchAll(/dataset\.key = '([a-z])'/g)]);
    const pressing = new Set([...saidIn('data-key'), ...made.map(([, key]) => key)]);
    expect([...pressing].sort()).toEqual(letters.sort());
  });
});

import { describe, expect, test } from 'bun:test';
import { dirname, join, relative, resolve } from 'node:path';
import { Glob } from 'bun';

const repository = join(import.meta.dir, '../..');
const source = join(repository, 'src');

/**
 * The house's folders and files from the ground up, as `src/README.md` lists them under Floors.
 * Each may import from itself and from what comes before it. The remark on a line comes after three
 * spaces.
 */
const map = await Bun.file(join(source, 'README.md')).text();
const order = (/^## Floors$.*?^```$(.*?)^```$/ms.exec(map)?.[1] ?? '')
  .trim()
  .split('\n')
  .flatMap((line) => (line.split(/ {3,}/)[0] ?? '').split(/ +/));

type Import = { from: string; to: string };

// Declarations for the compiler stand on no floor.
const files = [...new Glob('**/*.{ts,tsx}').scanSync(source)]
  .filter((file) => !file.endsWith('.d.ts'))
  .sort();

const importsOf = async (file: string): Promise<Import[]> => {
  const text = await Bun.file(join(source, file)).text();
  const found = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g);
  return [...found].map(([, path = '']) => ({
    from: file,
    to: relative(source, resolve(source, dirname(file), path)),
  }));
};

const imports = (await Promise.all(files.map(importsOf))).flat();

/** The folder or file of the house that a file belongs to. */
const floorOf = (file: string) => file.split('/')[0] ?? file;

const isTable = (file: string) => file.endsWith('/table.ts');
const isUpward = ({ from, to }: Import) =>
  order.includes(floorOf(from)) && order.indexOf(floorOf(to)) > order.indexOf(floorOf(from));

describe('The floors of the house', () => {
  test('every file stands on a floor, and every import leads to a file', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(imports.length).toBeGreaterThan(200);
    const homeless = [...new Set(files.map(floorOf))].filter((floor) => !order.includes(floor));
    if (homeless.length > 0) {
      throw new Error(
        `${homeless.map((floor) => `src/${floor}`).join(', ')} stands on no floor: say where in src/README.md, under Floors.`,
      );
    }
    const inside = imports.filter(({ to }) => !to.startsWith('..'));
    const targets = new Set(files);
    const lost = inside.filter(({ to }) => /\.tsx?$/.test(to) && !targets.has(to));
    expect(lost).toEqual([]);
  });

  test('a file imports from its own folder and from folders earlier in the list, and of later ones only tables', () => {
    const upward = imports
      .filter((one) => !one.to.startsWith('..') && isUpward(one))
      .filter(({ from, to }) => isTable(from) || !isTable(to))
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(upward).toEqual([]);
  });

  test('a table loads nothing but tables and columns, so no import of one leads in a circle', async () => {
    const guilty: string[] = [];
    for (const file of files.filter(isTable)) {
      const text = await Bun.file(join(source, file)).text();
      for (const [line, path = ''] of text.matchAll(/^import (?!type )[^;]*?'(\.[^']+)';$/gm)) {
        const to = relative(source, resolve(source, dirname(file), path));
        if (!isTable(to) && to !== 'base/columns.ts') guilty.push(`${file}: ${line}`);
      }
    }
    expect(guilty).toEqual([]);
  });

  test('a table of a later folder is only read: its rows are written where it is', async () => {
    const guilty: string[] = [];
    for (const file of new Set(imports.filter(isUpward).map(({ from }) => from))) {
      const text = await Bun.file(join(source, file)).text();
      for (const [, names = '', path = ''] of text.matchAll(
        /^import \{([^}]*)\} from '([^']+)'/gm,
      )) {
        const to = relative(source, resolve(source, dirname(file), path));
        if (!isUpward({ from: file, to })) continue;
        for (const name of names.split(',').flatMap((one) => one.trim().split(' ').at(-1) || [])) {
          const writes = new RegExp(
            `\\.(create|update|remove|record|insert|delete)\\((['"]\\w+['"], )?${name}\\b|(update|into|delete from) \\$\\{${name}\\}`,
          );
          if (writes.test(text)) guilty.push(`${file} writes ${name}`);
        }
      }
    }
    expect(guilty).toEqual([]);
  });

  test('SQL takes the table of a later folder from its table.ts, and does not write its name', async () => {
    const owner = new Map<string, string>();
    for (const file of files.filter(isTable)) {
      const text = await Bun.file(join(source, file)).text();
      for (const [, name = ''] of text.matchAll(/\bpgTable\(\s*'(\w+)'/g)) owner.set(name, file);
    }
    expect(owner.size).toBeGreaterThan(35);
    const guilty: string[] = [];
    // The engine room writes the database's own functions, which no later name may change.
    for (const file of files.filter((one) => floorOf(one) !== 'postgres')) {
      const text = await Bun.file(join(source, file)).text();
      const code = text.replace(/^ *(\/\/|\/?\*).*$/gm, '');
      for (const [, name = ''] of code.matchAll(/\b(?:from|join|update|into)\s+(\w+)\b/g)) {
        const to = owner.get(name);
        if (to && isUpward({ from: file, to })) guilty.push(`${file} names ${name}`);
      }
    }
    expect(guilty).toEqual([]);
  });

  test('no two files import each other in a circle', () => {
    const nextOf = Map.groupBy(imports, ({ from }) => from);
    const circles: string[] = [];
    const done = new Set<string>();
    const walk = (file: string, way: string[]) => {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' > '));
      else if (!done.has(file)) {
        for (const { to } of nextOf.get(file) ?? []) walk(to, [...way, file]);
        done.add(file);
      }
    };
    for (const file of files) walk(file, []);
    expect(circles).toEqual([]);
  });

  test('features never import a door, or what belongs to HTTP alone', () => {
    const doors = ['http', 'api', 'commands', 'app'];
    const below = order.slice(0, order.indexOf('contents.ts') + 1);
    const seen = imports.filter(
      ({ from, to }) => below.includes(floorOf(from)) && doors.includes(floorOf(to)),
    );
    expect(seen).toEqual([]);
  });

  test('outside itself src imports its manifest, the migrations and the documents that it serves only', () => {
    const outside = imports.filter(({ to }) => to.startsWith('..')).map(({ to }) => to);
    expect(
      outside.filter(
        (to) =>
          !/^\.\.\/(package\.json|drizzle\/|docs\/(integrators|recipes|contract)\.md$)/.test(to),
      ),
    ).toEqual([]);
  });
});

describe('The words of the house', () => {
  test('no file is named after nothing in particular', () => {
    const vague =
      /(^|\/|-)(utils?|helpers?|index|common|misc|shared|lib|service|manager|handler|controller|repository|dto)(\.|\/|$)/;
    expect(files.filter((file) => vague.test(file))).toEqual([]);
  });

  test('every file with elements says that they are Preact’s: Bun reads no tsconfig from elsewhere', async () => {
    const guilty: string[] = [];
    for (const file of files.filter((one) => one.endsWith('.tsx'))) {
      const text = await Bun.file(join(source, file)).text();
      if (!text.startsWith('/** @jsxImportSource preact */\n')) guilty.push(file);
    }
    expect(guilty).toEqual([]);
  });

  test('there are no default exports and no barrels', async () => {
    const guilty: string[] = [];
    for (const file of files) {
      const text = await Bun.file(join(source, file)).text();
      if (/^\s*export\s+default\b|\bas default\b|^\s*export\s+\*/m.test(text)) guilty.push(file);
    }
    expect(guilty).toEqual([]);
  });

  test('the only class is Refusal', async () => {
    const classes: string[] = [];
    for (const file of files) {
      const text = await Bun.file(join(source, file)).text();
      for (const [, name] of text.matchAll(/^\s*(?:export\s+)?(?:abstract\s+)?class\s+(\w+)/gm)) {
        classes.push(`${file}: ${name}`);
      }
    }
    expect(classes).toEqual(['base/refusal.ts: Refusal']);
  });

  // A page asks its own server, and so do the commands that look whether it answers. The directory is one
  // that an administrator has named, and whose terms they have accepted. The requests of the documents are
  // samples: text that asks nobody.
  // A firm's owner has named whoever gives tokens for its mail server. Webhooks go to addresses that a member
  // has given, each judged before it is connected to.
  const ofItsOwn = [
    ...['base/call.ts', 'certificate/directory.ts', 'documents/requests.ts'],
    ...['mail/token.ts', 'webhooks/post.ts'],
  ];

  test('nothing in src asks the network, but for its own server, a directory of certificates, the tokens of a mail server and receivers of webhooks', async () => {
    const guilty: string[] = [];
    for (const file of files.filter((one) => !one.startsWith('app/browser/'))) {
      if (ofItsOwn.includes(file)) continue;
      const text = await Bun.file(join(source, file)).text();
      if (/(?<![\w.])fetch\(|^import \{.*'node:https?'/m.test(text)) guilty.push(file);
    }
    expect(guilty).toEqual([]);
  });

  test('no page puts in what is not escaped: no inner HTML, no style or handler as text', async () => {
    const guilty: string[] = [];
    for (const file of files.filter((one) => one.startsWith('app/'))) {
      const text = await Bun.file(join(source, file)).text();
      const isGuilty =
        /dangerouslySetInnerHTML|\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write/.test(
          text,
        ) || /\sstyle=["{]|\son[a-z]+=["']/.test(text);
      if (isGuilty) guilty.push(file);
    }
    expect(guilty).toEqual([]);
  });
});

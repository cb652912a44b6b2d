/** Walks through the application by its own links and forms, as somebody who clicks on everything. */
import { pages } from '../../src/app/pages.ts';
import type { Page } from '../../src/app/visit.ts';
import type { Visitor } from './visitor.ts';

/** A field of a form: what it holds when the page is opened, and whether people type into it. */
export type FormField = { name: string; value: string; isTyped: boolean };

/** A form of a page, with what its first button sends. */
export type FoundForm = {
  on: string;
  action: string;
  method: string;
  fields: FormField[];
  buttons: [name: string, value: string][];
};

/** What a walk has seen: pages by their addresses, and one form of each shape. */
export type Walk = { texts: Map<string, string>; forms: FoundForm[] };

const matchers = pages
  .map((page) => ({
    page,
    matches: new RegExp(`^${page.path.replaceAll(/:[^/]+/g, '[^/]+')}$`),
    parameters: page.path.split(':').length,
  }))
  .sort((one, another) => one.parameters - another.parameters);

/** The page or form that an address is of; `/leads/:id` of `/leads/1`. */
export const pageAt = (address: string, method: Page['method'] = 'GET'): Page | undefined => {
  const [path = ''] = address.split(/[?#]/);
  return matchers.find(({ page, matches }) => page.method === method && matches.test(path))?.page;
};

/** The permissions that everybody must have who sees a page or sends a form. */
export const neededFor = ({ admission }: Page): readonly string[] => {
  if (typeof admission === 'object') return 'allOf' in admission ? admission.allOf : [];
  return admission === 'member' || admission === 'open' ? [] : [admission];
};

/** Whether the form at this address gives a file of text. A matter's ZIP is none. */
export const makesFile = (address: string): boolean => {
  const sent = pageAt(address, 'POST');
  const isText = !address.endsWith('/bundle');
  return sent !== undefined && isText && neededFor(sent).includes('data:export');
};

/**
 * Follows every link and every dialog from these addresses on, `max` of each shape. Forms whose
 * address has one of the ids `apart` are kept beside others of their shape.
 */
export const walk = async (
  visitor: Visitor,
  from: readonly string[],
  { apart = [], max = 2 }: { apart?: readonly string[]; max?: number } = {},
): Promise<Walk> => {
  const texts = new Map<string, string>();
  const forms = new Map<string, FoundForm>();
  const seen = new Set<string>();
  const counts = new Map<string, number>();
  let next: string[] = [];
  const meet = (address: string, isStart = false) => {
    const [known = ''] = address.split('#');
    const shape = shapeOf(known);
    if (!shape || seen.has(known)) return;
    const count = (counts.get(shape) ?? 0) + 1;
    if (count > max && !isStart) return;
    counts.set(shape, count);
    seen.add(known);
    next.push(known);
  };
  const keep = (one: FoundForm) => {
    const isApart = apart.some((id) => one.action.includes(id));
    const shape = `${isApart} ${pageAt(one.action, 'POST')?.path} ${saysOf(one)}`;
    if (!forms.has(shape)) forms.set(shape, one);
  };
  for (const address of from) meet(address, true);
  while (next.length > 0) {
    const batch = next.splice(0, 4);
    const answers = await Promise.all(batch.map((address) => visitor.get(address)));
    for (const [at, { status, text, location }] of answers.entries()) {
      const address = batch[at] as string;
      if (location) meet(location);
      if (status !== 200) continue;
      texts.set(address, text);
      const found = await partsOf(text, address);
      for (const link of found.links) meet(link);
      for (const one of found.forms) {
        if (one.method !== 'post') for (const opened of openedBy(one)) meet(opened);
        else keep(one);
      }
    }
    next = [...new Set(next)];
  }
  return { texts, forms: [...forms.values()] };
};

/** What tells addresses apart that show different things: the page, its view, and the dialog that is open. */
const shapeOf = (address: string) => {
  const page = pageAt(address);
  const query = new URLSearchParams(address.split('?')[1]);
  const named = query.get('do') ? ['view', 'do'] : ['view', 'status'];
  // A question about one entry of many is the same for each: `remove-` and its name.
  const words = named.map((name) => query.get(name)?.split(/:|(?<=^remove|^delete)-/)[0] ?? '');
  return page && `${page.path}?${words}`;
};

const saysOf = ({ fields, buttons }: FoundForm) =>
  [
    ...fields.map(({ name, value }) => (name === 'do' ? `do=${value.split(':')[0]}` : name)),
    ...buttons.map(([name]) => name),
  ].join();

const openedBy = ({ action, fields, buttons }: FoundForm) => {
  const [path = ''] = action.split('?');
  const sent = fields.filter(({ name }) => name).map(({ name, value }) => [name, value]);
  const ways = buttons.length > 0 ? buttons : [undefined];
  return ways.map((button) => {
    const query = new URLSearchParams([...sent, ...(button ? [button] : [])] as [string, string][]);
    return `${path}?${query}`;
  });
};

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const decoded = (text: string | null) =>
  (text ?? '').replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name) => entities[name] ?? '');

/** The links of a page, within the application, and its forms with what they hold. */
export const partsOf = async (text: string, on: string) => {
  const links = new Set<string>();
  const forms: (FoundForm & { id: string | null })[] = [];
  const loose: { owner: string; field?: FormField; button?: [string, string] }[] = [];
  let open: (FoundForm & { id: string | null }) | undefined;
  let select: { field: FormField; isChosen: boolean } | undefined;
  let area: FormField | undefined;
  const [here = ''] = on.split(/[?#]/);
  const put = (element: HTMLRewriterTypes.Element, field: FormField) => {
    const owner = element.getAttribute('form');
    if (owner) loose.push({ owner, field });
    else if (open && field.name) open.fields.push(field);
  };
  const rewriter = new HTMLRewriter()
    .on('a[href^="/"], a[href^="?"]', {
      element: (element) => {
        const href = decoded(element.getAttribute('href'));
        links.add(href.startsWith('?') ? here + href : href);
      },
    })
    .on('form', {
      element: (element) => {
        open = {
          on,
          id: element.getAttribute('id'),
          action: decoded(element.getAttribute('action')) || here,
          method: (element.getAttribute('method') ?? 'get').toLowerCase(),
          fields: [],
          buttons: [],
        };
        forms.push(open);
        element.onEndTag(() => {
          open = undefined;
        });
      },
    })
    .on('input', {
      element: (element) => {
        const type = element.getAttribute('type') ?? 'text';
        const isBox = type === 'checkbox' || type === 'radio';
        if (isBox && !element.hasAttribute('checked')) return;
        const value = element.getAttribute('value');
        put(element, {
          name: decoded(element.getAttribute('name')),
          value: isBox && value === null ? 'on' : decoded(value),
          isTyped: /^(text|email|tel|url|search)$/.test(type),
        });
      },
    })
    .on('select', {
      element: (element) => {
        const field = { name: decoded(element.getAttribute('name')), value: '', isTyped: false };
        select = { field, isChosen: false };
        put(element, field);
      },
    })
    .on('option', {
      element: (element) => {
        if (!select) return;
        const value = decoded(element.getAttribute('value'));
        const isFirst = select.field.value === '' && !select.isChosen;
        if (element.hasAttribute('selected') || isFirst) select.field.value = value;
        if (element.hasAttribute('selected')) select.isChosen = true;
      },
    })
    .on('textarea', {
      element: (element) => {
        area = { name: decoded(element.getAttribute('name')), value: '', isTyped: true };
        put(element, area);
      },
      text: (chunk) => {
        if (area) area.value += decoded(chunk.text);
      },
    })
    .on('button', {
      element: (element) => {
        if (/^(button|reset)$/.test(element.getAttribute('type') ?? '')) return;
        const action = decoded(element.getAttribute('formaction'));
        // A button with an address of its own sends the same fields there.
        if (action && open?.method === 'post' && !element.hasAttribute('formmethod'))
          forms.push({ ...open, id: null, action, buttons: [] });
        const name = decoded(element.getAttribute('name'));
        const button: [string, string] = [name, decoded(element.getAttribute('value'))];
        const owner = element.getAttribute('form');
        if (name && owner) loose.push({ owner, button });
        else if (name) open?.buttons.push(button);
      },
    });
  await rewriter.transform(new Response(text)).text();
  for (const { owner, field, button } of loose) {
    const mine = forms.find(({ id }) => id === owner);
    if (field?.name) mine?.fields.push(field);
    if (button) mine?.buttons.push(button);
  }
  return { links, forms: forms.filter(({ method }) => method !== 'dialog') as FoundForm[] };
};

/** What a form sends unchanged, with its first button. */
export const sentBy = ({ fields, buttons }: FoundForm): Record<string, string[]> => {
  const sent: Record<string, string[]> = {};
  const [button] = buttons;
  const pairs = [
    ...fields.map(({ name, value }) => [name, value] as const),
    ...(button ? [button] : []),
  ];
  for (const [name, value] of pairs) (sent[name] ??= []).push(value);
  return sent;
};

type Asked = HTMLInputElement & { dataset: { in: 'path' | 'query' | 'header'; for: string } };

/** Lets a form of the reference send its operation's request, and shows the answer. */
export const startTry = (form: HTMLFormElement) =>
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });

const send = async (form: HTMLFormElement) => {
  const { method = 'GET' } = form.dataset;
  const field = <Control extends HTMLElement>(id: string) =>
    form.querySelector<Control>(`#try-${id}`);
  const place = form.querySelector<HTMLElement>('.answered');
  const key = field<HTMLInputElement>('key')?.value.trim();
  const body = field<HTMLTextAreaElement>('body')?.value;
  if (!place) return;
  const headers = new Headers(headersOf(form));
  try {
    if (key) headers.set('authorization', `Bearer ${key}`);
    if (field<HTMLInputElement>('dry')?.checked) headers.set('prefer', 'dry-run');
    if (body !== undefined) headers.set('content-type', 'application/json');
  } catch {
    return show(place, 'The key contains characters that no key has.', '');
  }
  show(place, 'Sending …', '');
  try {
    const began = performance.now();
    // Who is signed in in this browser does not count: the key does.
    const answer = await fetch(addressOf(form), {
      method,
      headers,
      body: body ?? null,
      credentials: 'omit',
      cache: 'no-store',
    });
    const text = await answer.text();
    const took = Math.round(performance.now() - began);
    const said = [...answer.headers].filter(([name]) => !dull.has(name));
    const lines = said.map(([name, value]) => `${name}: ${value}`);
    show(
      place,
      `${answer.status}${answer.statusText ? ` ${answer.statusText}` : ''}, in ${took} ms`,
      [...lines, '', indented(text)].join('\n'),
    );
  } catch {
    show(place, 'The server did not answer. Is it still running?', '');
  }
};

/** Headers that every answer has, and that say nothing about this one. */
const dull = new Set([
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'date',
  'vary',
])
  .add('x-content-type-options')
  .add('strict-transport-security');

const askedIn = (form: HTMLFormElement, place: Asked['dataset']['in']) =>
  [...form.querySelectorAll<Asked>(`[data-in="${place}"]`)]
    .map(({ dataset, value }): [string, string] => [dataset.for, value.trim()])
    .filter(([, value]) => value !== '');

const headersOf = (form: HTMLFormElement) => askedIn(form, 'header');

const addressOf = (form: HTMLFormElement) => {
  const path = askedIn(form, 'path').reduce(
    (all, [name, value]) => all.replace(`{${name}}`, encodeURIComponent(value)),
    form.dataset.path ?? '',
  );
  const query = new URLSearchParams(askedIn(form, 'query')).toString();
  return query ? `${path}?${query}` : path;
};

const indented = (text: string) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** The answer is text, whatever it contains. */
const show = (place: HTMLElement, title: string, text: string) => {
  const head = document.createElement('strong');
  head.textContent = title;
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.textContent = text.trim();
  place.replaceChildren(head, ...(text ? [pre] : []));
};

/** @jsxImportSource preact */
import { Refusal } from '../../base/refusal.ts';
import { previewNumbers, setNumberFormat } from '../../firm/numbering.ts';
import type { Actor } from '../../record/actor.ts';
import { type Numbered, numberFormatOf } from '../../register/numbering.ts';
import type { Fields } from '../fields.ts';
import { Form, Text } from '../form.tsx';
import { Panel } from '../page-parts.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { settingsPage } from './sections.tsx';

const path = '/settings/numbering';

const kinds = [
  { kind: 'lead', title: 'Leads', example: 'L-{####}' },
  { kind: 'matter', title: 'Matters', example: 'M-{YYYY}-{####}' },
] as const;

const showNumbering = async ({ actor, query, refused }: Visit): Promise<Shown> => {
  const shown = await Promise.all(
    kinds.map(async (one) => {
      const sent = refused?.action === `${path}/${one.kind}` && refused.fields.text('format');
      const stored = await numberFormatOf(actor, one.kind);
      const tried = sent || (query.get('kind') === one.kind && query.get('format'));
      const format = tried || stored || '';
      return { ...one, stored, format, preview: await previewOf(actor, one.kind, format) };
    }),
  );
  return settingsPage({
    title: 'Numbering',
    intro: 'How new leads and matters are numbered.',
    data: Object.fromEntries(shown.map(({ kind, preview }) => [kind, preview])),
    main: (
      <>
        {shown.map((one) => (
          <Format {...one} />
        ))}
        <Panel id="placeholders" title="What a number can contain">
          <div class="body">
            <dl class="values">
              <Placeholder
                code="{####}"
                text="The counter, with at least this many digits, for example 0042. A format has exactly one."
              />
              <Placeholder code="{YYYY}" text="The year, for example 2026." />
              <Placeholder code="{YY}" text="The year in two digits, for example 26." />
              <Placeholder code="{MM}" text="The month in two digits, for example 09." />
            </dl>
            <p class="muted">
              All other text is kept as it is. A number is never given twice, and records keep the
              numbers that they have.
            </p>
          </div>
        </Panel>
      </>
    ),
  });
};

const Placeholder = ({ code, text }: { code: string; text: string }) => (
  <div>
    <dt>
      <code>{code}</code>
    </dt>
    <dd class="static">{text}</dd>
  </div>
);

type Preview = string[] | null;

/** The next three numbers in a format; null if the format is wrong. */
const previewOf = async (actor: Actor, kind: Numbered, format: string): Promise<Preview> => {
  try {
    return await previewNumbers(actor, kind, format);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_request') return null;
    throw error;
  }
};

type FormatProps = (typeof kinds)[number] & {
  stored: string | null;
  format: string;
  preview: Preview;
};

const Format = ({ kind, title, example, stored, format, preview }: FormatProps) => (
  <Panel id={kind} title={title}>
    <div class="body">
      <Form action={`${path}/${kind}`} within={kind}>
        <input type="hidden" name="kind" value={kind} />
        <Text
          name="format"
          label={`Number of ${title.toLowerCase()}`}
          ask="Enter a format."
          value={format}
          placeholder={example}
          required
        />
        <p
          class={preview ? '' : 'muted'}
          role="status"
          aria-label={`Next numbers of ${title.toLowerCase()}`}
        >
          {preview
            ? `The next three: ${preview.join(', ')}`
            : stored === null && !format
              ? `Not set up yet, so no ${kind} can be created. A common format is ${example}.`
              : 'A format needs exactly one counter: {####}.'}
        </p>
        <div class="row end">
          <button class="button" formaction={path} formmethod="get">
            Preview
          </button>
          <button class="button">Save</button>
        </div>
      </Form>
    </div>
  </Panel>
);

const change =
  (kind: Numbered) =>
  async ({ actor }: Visit, fields: Fields) => {
    await setNumberFormat(actor, kind, fields.text('format') ?? '');
    return `${path}?saved`;
  };

const numberingPage = page(path, 'firm:write', showNumbering);

export const numberingPages: Page[] = [
  numberingPage,
  form(`${path}/lead`, 'firm:write', change('lead'), numberingPage, {
    said: 'The numbering of leads is changed.',
  }),
  form(`${path}/matter`, 'firm:write', change('matter'), numberingPage, {
    said: 'The numbering of matters is changed.',
  }),
];

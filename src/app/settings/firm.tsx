/** @jsxImportSource preact */
import { listSourceFields, setSourceField } from '../../custom-fields/source-field.ts';
import { changeFirm, readFirm } from '../../firm/firm.ts';
import { chooseFirmFormats, usualFormats } from '../../firm/formats.ts';
import { timeZones } from '../../firm/time-zone.ts';
import type { Reader } from '../../record/actor.ts';
import type { Fields } from '../fields.ts';
import { Choice, Form, Text } from '../form.tsx';
import { optionsOf } from '../list.tsx';
import { Panel } from '../page-parts.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { FormatsPanel, formatsIn, textsOfFormats } from './formats.tsx';
import { settingsPage } from './sections.tsx';

const path = '/settings/firm';

const showFirm = async ({ actor }: Visit): Promise<Shown> => {
  const [stored, sources] = await Promise.all([readFirm(actor), listSourceFields(actor)]);
  return settingsPage({
    title: 'Firm',
    main: (
      <>
        <Panel id="firm" title="Name and time zone">
          <div class="body">
            <Form action={path} save="Save" isOneOfSeveral>
              <Text name="name" label="Name" value={stored.name} required />
              <Choice
                name="timeZone"
                label="Time zone"
                hint="Used for due dates, reminders and the year in numbers."
                value={stored.timeZone}
                options={[...new Set([stored.timeZone, ...timeZones])].map((zone) => ({
                  value: zone,
                  name: zoneWords(zone),
                }))}
              />
            </Form>
          </div>
        </Panel>
        <FormatsPanel action={`${path}/formats`} chosen={{ ...usualFormats, ...stored.formats }} />
        <Panel id="source" title="Where leads come from">
          <div class="body">
            {sources.length === 0 ? (
              <p class="muted">
                Leads have no custom field yet that holds a text or a choice. Add one, and reports
                can count leads by their source.
              </p>
            ) : (
              <Form action={`${path}/source`} save="Save" isOneOfSeveral>
                <Choice
                  name="sourceFieldId"
                  label="Source field"
                  hint="Asked on the form of a new lead, and used in reports."
                  value={stored.sourceFieldId}
                  none="None"
                  options={optionsOf(sources)}
                />
              </Form>
            )}
          </div>
        </Panel>
      </>
    ),
  });
};

/** A time zone in words: `America/New York`. */
const zoneWords = (zone: string) => zone.replaceAll('_', ' ');

const textsNow = async (reader: Reader) => {
  const { name, timeZone } = await readFirm(reader);
  return { name, timeZone };
};

const change = async ({ actor }: Visit, fields: Fields) => {
  const [name, timeZone] = [fields.text('name') ?? '', fields.text('timeZone') ?? ''];
  await changeFirm(actor, { name, timeZone });
  return `${path}?saved`;
};

const firmPage = page(path, 'firm:write', showFirm);

export const firmPages: Page[] = [
  firmPage,
  form(path, 'firm:write', change, firmPage, {
    guard: textsNow,
    said: 'The firm’s name and time zone are changed.',
  }),
  form(
    `${path}/formats`,
    'firm:write',
    async ({ actor }, fields) => {
      await chooseFirmFormats(actor, formatsIn(fields));
      return `${path}?saved`;
    },
    firmPage,
    {
      guard: async (reader) =>
        textsOfFormats({ ...usualFormats, ...(await readFirm(reader)).formats }),
      said: 'The firm’s dates and times are changed.',
    },
  ),
  form(
    `${path}/source`,
    'firm:write',
    async ({ actor }, fields) => {
      await setSourceField(actor, fields.text('sourceFieldId') || null);
      return `${path}?saved`;
    },
    firmPage,
    { said: 'The source field is changed.' },
  ),
];

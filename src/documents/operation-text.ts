/** The pages of the reference in Markdown. */
import { capitalised } from '../base/wording.ts';
import type { Field, Operation } from './description.ts';
import { pretty, requestsOf } from './requests.ts';
import { pathOf, type Resource } from './resource.ts';

/** The page of all operations. */
export const overviewText = (resources: Resource[]) =>
  [
    '# All operations',
    ...resources.flatMap(({ title, operations }) => [`## ${title}`, linesOf(operations)]),
  ].join('\n\n');

/** A resource's page. */
export const resourceText = ({ title, words, operations }: Resource) =>
  [`# ${title}`, words, linesOf(operations)].join('\n\n');

const linesOf = (operations: Operation[]) =>
  operations
    .map((one) => `- [${one.title}](${pathOf(one)}.md): \`${one.method} ${one.path}\``)
    .join('\n');

/** An operation's page. */
export const operationText = (operation: Operation) =>
  [
    `# ${operation.title}`,
    operation.description,
    `\`${operation.method} ${operation.path}\``,
    keyText(operation, '.md'),
    ...sectionsOf(operation).flatMap(({ title, fields }) => [`## ${title}`, fieldsText(fields)]),
    '## Request',
    ...requestNotes(operation, '.md'),
    ...requestsOf(operation).map(({ language, text }) => fenced(language, text)),
    `## Answer ${operation.answer.status}`,
    operation.answer.words,
    ...exampleText(operation),
    fieldsText(operation.answer.fields),
    ...(operation.refusals.length === 0
      ? []
      : [
          '## Errors',
          operation.refusals
            .map(
              ({ status, code, words }) =>
                `- ${status} [\`${code}\`](/docs/errors.md#${code}): ${words}`,
            )
            .join('\n'),
        ]),
  ].join('\n\n');

/** The page of what the server sends. */
export const messageText = (messages: Operation[]) =>
  [
    '# Messages of webhooks',
    ...messages.flatMap((one) => [
      `## ${one.title}`,
      one.description,
      ...(one.body?.example === undefined ? [] : [fenced('json', pretty(one.body.example))]),
      fieldsText(one.body?.fields ?? []),
    ]),
  ].join('\n\n');

/**
 * Who may call an operation, and from where the samples have the key, in Markdown. `ending` is that
 * of the pages to which it leads.
 */
export const keyText = ({ scopes }: Operation, ending = '') => {
  if (scopes === undefined) return 'It needs no key.';
  const words = scopes.map((one) => `\`${one}\``).join(' or ');
  const needs = words ? `The key needs the scope ${words}.` : 'Any key may call it.';
  return `${needs} The samples read it [from the environment](/docs/your-first-lead${ending}#say-who-you-are).`;
};

/** What must be known of an operation's example request, in Markdown. */
export const requestNotes = ({ body }: Operation, ending = ''): string[] =>
  'customFields' in Object(body?.example)
    ? [
        `Custom fields are each firm’s own: the names in the example are those of an imagined firm. [List yours](/docs/reference/custom-fields/list-custom-fields${ending}), or leave \`customFields\` out.`,
      ]
    : [];

/** What is sent: in the path, the query, the headers and the body. */
export const sectionsOf = ({ parameters, body }: Operation) =>
  [
    { title: 'Path', fields: parameters.filter((one) => one.in === 'path') },
    { title: 'Query', fields: parameters.filter((one) => one.in === 'query') },
    {
      title: 'Headers',
      fields: parameters
        .filter((one) => one.in === 'header')
        .map((one) => ({ ...one, name: headerName(one.name) })),
    },
    { title: 'Body', fields: body?.fields ?? [] },
  ].filter(({ fields }) => fields.length > 0);

export const headerName = (name: string) => name.split('-').map(capitalised).join('-');

const exampleText = ({ answer }: Operation) =>
  answer.example === undefined ? [] : [fenced('json', pretty(answer.example))];

const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

const fieldsText = (fields: Field[], depth = 0): string =>
  fields
    .map(
      ({ name, kind, isRequired, words, within }) =>
        `${'  '.repeat(depth)}- \`${name}\` (${kind}${isRequired ? ', required' : ''})${words && `: ${words}`}${
          within.length > 0 ? `\n${fieldsText(within, depth + 1)}` : ''
        }`,
    )
    .join('\n');

import { type Description, type Operation, operationsIn } from './description.ts';

export const referencePath = '/docs/reference';

/** Operations of one kind of record, and the page that lists them. */
export type Resource = { title: string; words: string; path: string; operations: Operation[] };

/** What the API's description calls its tags, each with its operations. */
export const resourcesIn = (description: Description): Resource[] => {
  const all = operationsIn(description);
  return description.tags.map(({ name, description: words }) => ({
    title: name,
    words,
    path: `${referencePath}/${kebab(name)}`,
    operations: all.filter(({ tag }) => tag === name),
  }));
};

/** The page of an operation. It is named by the operation's id, so it stays where it is. */
export const pathOf = ({ tag, id }: Operation) => `${referencePath}/${kebab(tag)}/${kebab(id)}`;

const kebab = (words: string) =>
  words
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-')
    .replaceAll(' ', '-')
    .toLowerCase();

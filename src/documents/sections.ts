/** A part of a page: its heading, the anchor of the heading, and its text. */
export type Section = { anchor: string; title: string; text: string };

/** A heading's anchor, as GitHub makes it. */
export const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

const fence = /^(?:```|~~~)/;

/** A page of Markdown by its headings, of whatever level. Headings within code are none. */
export const sectionsOf = (markdown: string): Section[] => {
  const sections: Section[] = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (fence.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,6} (.+)$/.exec(line)?.[1];
    if (heading) sections.push({ anchor: anchorOf(heading), title: plain(heading), text: '' });
    else if (sections.length > 0) (sections.at(-1) as Section).text += `${line}\n`;
  }
  return sections;
};

/** Words of Markdown without its marks, for a heading or a line that is no Markdown. */
export const plain = (markdown: string) =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\\(?=[^\w\s])|[`*]/g, '')
    .trim();

/** The first sentence of a paragraph, without the marks of Markdown. */
export const firstSentence = (paragraph: string) =>
  plain(paragraph.replaceAll('\n', ' ')).replace(/^(.+?\.)(?= [A-Z`]|$).*$/, '$1');

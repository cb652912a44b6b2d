/** Whether a page holds nothing that names and notes of a firm could have put there as markup. */

const known = /^(\/(?!\/)|\?|#|mailto:|tel:|https?:|$)/;
const addresses = new Set(['href', 'src', 'action', 'formaction']);

/** What of a page's markup no page of ours has: strange elements, handlers, styles, addresses, scripts. */
export const strangeIn = async (text: string): Promise<string[]> => {
  const found: string[] = [];
  let script: { text: string; isData: boolean } | undefined;
  const rewriter = new HTMLRewriter()
    .on('*', {
      element: (element) => {
        if (/^(zx.*|img|iframe|object|embed|style|base)$/.test(element.tagName)) {
          found.push(`<${element.tagName}>`);
        }
        for (const [name = '', value = ''] of element.attributes) {
          if (/^(on|style$|srcdoc$)/.test(name)) found.push(`${element.tagName} ${name}`);
          if (addresses.has(name) && !known.test(value)) found.push(`${name}=${value}`);
        }
      },
      comments: (comment) => void found.push(`<!--${comment.text}`),
    })
    .on('script', {
      element: (element) => {
        const isData = element.getAttribute('type') === 'application/json';
        if (!isData && !element.getAttribute('src')) found.push('a script within the page');
        const mine = { text: '', isData };
        script = mine;
        element.onEndTag(() => {
          if (mine.isData) JSON.parse(mine.text);
          else if (mine.text !== '') found.push('a script with text');
          script = undefined;
        });
      },
      text: (chunk) => {
        if (script) script.text += chunk.text;
      },
    });
  await rewriter.transform(new Response(text)).text();
  return found;
};

/** The cells of a CSV file that a spreadsheet would run as a formula. */
export const formulasIn = (csv: string): string[] =>
  [...csv.matchAll(/(?:^|,)("?)([=+\-@\t\r][^,\n]*)/gm)].map(([, , cell = '']) => cell);

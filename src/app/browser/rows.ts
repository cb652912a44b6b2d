/** The rows of lists and tables. */
export const lineSelector = ':is(.rows > li, tbody > tr, [data-row])';

/** The rows and cards that keys go through. */
export const rowSelector = `:is(.card, ${lineSelector})`;

/** All of them, in the order of the page. */
export const rowsOf = (page: ParentNode) => [...page.querySelectorAll(`main ${rowSelector}`)];

/** The link that has the focus of a row or card; undefined where it is not seen. */
export const linkIn = (row: Element | null | undefined) => {
  const link = row?.querySelector<HTMLAnchorElement>('a');
  return link?.checkVisibility() ? link : undefined;
};

/** The one sheet of the application, put together from a sheet for each part of the pages and for each page. */
import base from './base.css' with { type: 'text' };
import board from './board.css' with { type: 'text' };
import buttons from './buttons.css' with { type: 'text' };
import calendar from './calendar.css' with { type: 'text' };
import dialogs from './dialogs.css' with { type: 'text' };
import documents from './documents.css' with { type: 'text' };
import fields from './fields.css' with { type: 'text' };
import forcedColors from './forced-colors.css' with { type: 'text' };
import frame from './frame.css' with { type: 'text' };
import home from './home.css' with { type: 'text' };
import imports from './imports.css' with { type: 'text' };
import inbox from './inbox.css' with { type: 'text' };
import layout from './layout.css' with { type: 'text' };
import leads from './leads.css' with { type: 'text' };
import limitation from './limitation.css' with { type: 'text' };
import listBar from './list-bar.css' with { type: 'text' };
import marks from './marks.css' with { type: 'text' };
import matters from './matters.css' with { type: 'text' };
import menus from './menus.css' with { type: 'text' };
import messages from './messages.css' with { type: 'text' };
import panel from './panel.css' with { type: 'text' };
import paper from './paper.css' with { type: 'text' };
import print from './print.css' with { type: 'text' };
import reports from './reports.css' with { type: 'text' };
import roles from './roles.css' with { type: 'text' };
import search from './search.css' with { type: 'text' };
import settings from './settings.css' with { type: 'text' };
import signIn from './sign-in.css' with { type: 'text' };
import stages from './stages.css' with { type: 'text' };
import table from './table.css' with { type: 'text' };
import tasks from './tasks.css' with { type: 'text' };
import timeline from './timeline.css' with { type: 'text' };
import tokens from './tokens.css' with { type: 'text' };
import values from './values.css' with { type: 'text' };

/** In this order: of two rules of a layer that weigh the same, the later one counts. */
const sheets = [
  // What many pages have.
  tokens,
  base,
  frame,
  layout,
  buttons,
  fields,
  marks,
  menus,
  dialogs,
  listBar,
  table,
  panel,
  stages,
  values,
  messages,
  timeline,
  // What one page has.
  board,
  signIn,
  home,
  leads,
  matters,
  limitation,
  tasks,
  calendar,
  paper,
  inbox,
  search,
  reports,
  imports,
  settings,
  roles,
  // Where the system chooses the colours, and on paper.
  forcedColors,
  print,
];

/** What browsers get: comments and indentation stay here. */
const packed = (texts: string[]) =>
  texts
    .join('')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ');

export const sheet = packed(sheets);

/** The sheet of the documents for integrators: the parts that they have in common, and their own. */
export const documentsSheet = packed([
  ...[tokens, base, frame, layout, buttons, fields, table, panel, messages],
  ...[documents, forcedColors, print],
]);

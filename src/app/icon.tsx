/** @jsxImportSource preact */
import archiveSvg from 'lucide-static/icons/archive.svg' with { type: 'text' };
import arrowDownSvg from 'lucide-static/icons/arrow-down.svg' with { type: 'text' };
import arrowLeftRightSvg from 'lucide-static/icons/arrow-left-right.svg' with { type: 'text' };
import arrowRightSvg from 'lucide-static/icons/arrow-right.svg' with { type: 'text' };
import arrowUpSvg from 'lucide-static/icons/arrow-up.svg' with { type: 'text' };
import banSvg from 'lucide-static/icons/ban.svg' with { type: 'text' };
import bellSvg from 'lucide-static/icons/bell.svg' with { type: 'text' };
import briefcaseSvg from 'lucide-static/icons/briefcase.svg' with { type: 'text' };
import calendarSvg from 'lucide-static/icons/calendar.svg' with { type: 'text' };
import calendarXSvg from 'lucide-static/icons/calendar-x.svg' with { type: 'text' };
import chartColumnSvg from 'lucide-static/icons/chart-column.svg' with { type: 'text' };
import checkSvg from 'lucide-static/icons/check.svg' with { type: 'text' };
import chevronDownSvg from 'lucide-static/icons/chevron-down.svg' with { type: 'text' };
import chevronLeftSvg from 'lucide-static/icons/chevron-left.svg' with { type: 'text' };
import chevronRightSvg from 'lucide-static/icons/chevron-right.svg' with { type: 'text' };
import circleSvg from 'lucide-static/icons/circle.svg' with { type: 'text' };
import circleAlertSvg from 'lucide-static/icons/circle-alert.svg' with { type: 'text' };
import circleCheckSvg from 'lucide-static/icons/circle-check.svg' with { type: 'text' };
import clockSvg from 'lucide-static/icons/clock.svg' with { type: 'text' };
import columns3Svg from 'lucide-static/icons/columns-3.svg' with { type: 'text' };
import contactSvg from 'lucide-static/icons/contact.svg' with { type: 'text' };
import copySvg from 'lucide-static/icons/copy.svg' with { type: 'text' };
import databaseSvg from 'lucide-static/icons/database.svg' with { type: 'text' };
import downloadSvg from 'lucide-static/icons/download.svg' with { type: 'text' };
import ellipsisSvg from 'lucide-static/icons/ellipsis.svg' with { type: 'text' };
import eyeSvg from 'lucide-static/icons/eye.svg' with { type: 'text' };
import fileTextSvg from 'lucide-static/icons/file-text.svg' with { type: 'text' };
import filterSvg from 'lucide-static/icons/filter.svg' with { type: 'text' };
import funnelSvg from 'lucide-static/icons/funnel.svg' with { type: 'text' };
import hashSvg from 'lucide-static/icons/hash.svg' with { type: 'text' };
import historySvg from 'lucide-static/icons/history.svg' with { type: 'text' };
import houseSvg from 'lucide-static/icons/house.svg' with { type: 'text' };
import inboxSvg from 'lucide-static/icons/inbox.svg' with { type: 'text' };
import infoSvg from 'lucide-static/icons/info.svg' with { type: 'text' };
import keyRoundSvg from 'lucide-static/icons/key-round.svg' with { type: 'text' };
import keyboardSvg from 'lucide-static/icons/keyboard.svg' with { type: 'text' };
import linkSvg from 'lucide-static/icons/link.svg' with { type: 'text' };
import listSvg from 'lucide-static/icons/list.svg' with { type: 'text' };
import listChecksSvg from 'lucide-static/icons/list-checks.svg' with { type: 'text' };
import listFilterSvg from 'lucide-static/icons/list-filter.svg' with { type: 'text' };
import lockSvg from 'lucide-static/icons/lock.svg' with { type: 'text' };
import logOutSvg from 'lucide-static/icons/log-out.svg' with { type: 'text' };
import mailSvg from 'lucide-static/icons/mail.svg' with { type: 'text' };
import mergeSvg from 'lucide-static/icons/merge.svg' with { type: 'text' };
import messageSquareSvg from 'lucide-static/icons/message-square.svg' with { type: 'text' };
import monitorSvg from 'lucide-static/icons/monitor.svg' with { type: 'text' };
import moonSvg from 'lucide-static/icons/moon.svg' with { type: 'text' };
import pencilSvg from 'lucide-static/icons/pencil.svg' with { type: 'text' };
import phoneSvg from 'lucide-static/icons/phone.svg' with { type: 'text' };
import plusSvg from 'lucide-static/icons/plus.svg' with { type: 'text' };
import printerSvg from 'lucide-static/icons/printer.svg' with { type: 'text' };
import repeatSvg from 'lucide-static/icons/repeat.svg' with { type: 'text' };
import rotateCcwSvg from 'lucide-static/icons/rotate-ccw.svg' with { type: 'text' };
import rows3Svg from 'lucide-static/icons/rows-3.svg' with { type: 'text' };
import scaleSvg from 'lucide-static/icons/scale.svg' with { type: 'text' };
import searchSvg from 'lucide-static/icons/search.svg' with { type: 'text' };
import settingsSvg from 'lucide-static/icons/settings.svg' with { type: 'text' };
import shieldAlertSvg from 'lucide-static/icons/shield-alert.svg' with { type: 'text' };
import shieldCheckSvg from 'lucide-static/icons/shield-check.svg' with { type: 'text' };
import squareCheckSvg from 'lucide-static/icons/square-check.svg' with { type: 'text' };
import squareKanbanSvg from 'lucide-static/icons/square-kanban.svg' with { type: 'text' };
import sunSvg from 'lucide-static/icons/sun.svg' with { type: 'text' };
import trash2Svg from 'lucide-static/icons/trash-2.svg' with { type: 'text' };
import triangleAlertSvg from 'lucide-static/icons/triangle-alert.svg' with { type: 'text' };
import undo2Svg from 'lucide-static/icons/undo-2.svg' with { type: 'text' };
import uploadSvg from 'lucide-static/icons/upload.svg' with { type: 'text' };
import userSvg from 'lucide-static/icons/user.svg' with { type: 'text' };
import userPlusSvg from 'lucide-static/icons/user-plus.svg' with { type: 'text' };
import usersSvg from 'lucide-static/icons/users.svg' with { type: 'text' };
import webhookSvg from 'lucide-static/icons/webhook.svg' with { type: 'text' };
import xSvg from 'lucide-static/icons/x.svg' with { type: 'text' };
import { markup, rendersOnce } from './markup.ts';

/** The icons in use, by their Lucide names. For another one, add a line above and a line here. */
const texts = {
  archive: archiveSvg,
  'arrow-down': arrowDownSvg,
  'arrow-left-right': arrowLeftRightSvg,
  'arrow-right': arrowRightSvg,
  'arrow-up': arrowUpSvg,
  ban: banSvg,
  bell: bellSvg,
  briefcase: briefcaseSvg,
  calendar: calendarSvg,
  'calendar-x': calendarXSvg,
  'chart-column': chartColumnSvg,
  check: checkSvg,
  'chevron-down': chevronDownSvg,
  'chevron-left': chevronLeftSvg,
  'chevron-right': chevronRightSvg,
  circle: circleSvg,
  'columns-3': columns3Svg,
  'circle-alert': circleAlertSvg,
  'circle-check': circleCheckSvg,
  clock: clockSvg,
  contact: contactSvg,
  copy: copySvg,
  database: databaseSvg,
  download: downloadSvg,
  ellipsis: ellipsisSvg,
  eye: eyeSvg,
  'file-text': fileTextSvg,
  filter: filterSvg,
  funnel: funnelSvg,
  hash: hashSvg,
  history: historySvg,
  house: houseSvg,
  inbox: inboxSvg,
  info: infoSvg,
  'key-round': keyRoundSvg,
  keyboard: keyboardSvg,
  link: linkSvg,
  list: listSvg,
  'list-checks': listChecksSvg,
  'list-filter': listFilterSvg,
  lock: lockSvg,
  'log-out': logOutSvg,
  mail: mailSvg,
  merge: mergeSvg,
  'message-square': messageSquareSvg,
  monitor: monitorSvg,
  moon: moonSvg,
  pencil: pencilSvg,
  phone: phoneSvg,
  plus: plusSvg,
  printer: printerSvg,
  repeat: repeatSvg,
  'rotate-ccw': rotateCcwSvg,
  'rows-3': rows3Svg,
  scale: scaleSvg,
  search: searchSvg,
  settings: settingsSvg,
  'shield-alert': shieldAlertSvg,
  'shield-check': shieldCheckSvg,
  'square-check': squareCheckSvg,
  'square-kanban': squareKanbanSvg,
  sun: sunSvg,
  'trash-2': trash2Svg,
  'triangle-alert': triangleAlertSvg,
  'undo-2': undo2Svg,
  upload: uploadSvg,
  user: userSvg,
  'user-plus': userPlusSvg,
  users: usersSvg,
  webhook: webhookSvg,
  x: xSvg,
};

export type IconName = keyof typeof texts;

/** The shapes of an icon, taken once from Lucide's file. */
const shapesIn = (svg: string): string =>
  [...svg.matchAll(/<(?:path|circle|ellipse|rect|line|polyline|polygon)\b[^>]*>/g)].join('');

const read = new Map<IconName, string>();

const textOf = (name: IconName): string => {
  const text =
    read.get(name) ??
    `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${shapesIn(texts[name])}</svg>`;
  read.set(name, text);
  return text;
};

/** An icon beside words. Screen readers skip it. */
export const Icon = ({ name }: { name: IconName }) => markup([textOf(name)]);

/** The icon of a place, which other parts of the page show again by the place's name. */
export const IconOfPlace = ({ name, path }: { name: IconName; path: string }) =>
  markup([textOf(name).replace('<svg', `<svg id="place${path.replaceAll('/', '-')}"`)]);

/** The firm's mark: a mountain. */
export const Mark = rendersOnce(() => (
  <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
    <path d="M1.5 21 8.2 11.6 10.4 6.4 13.8 2.5 12 10.2 14.4 21Z" />
    <path class="shade" d="M13.8 2.5 15.9 7.6 18.4 11.2 22.5 21H14.4L12 10.2Z" />
  </svg>
));

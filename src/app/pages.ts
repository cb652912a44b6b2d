import { bulkPages } from './bulk-page.tsx';
import { controlSheetPages } from './calendar/control-sheet.tsx';
import { eventPages } from './calendar/event-pages.tsx';
import { feedPages } from './calendar/feed-pages.tsx';
import { calendarPages } from './calendar/pages.tsx';
import { callPages } from './calls/pages.tsx';
import { contactPages } from './contacts/pages.tsx';
import { homePages } from './home/pages.tsx';
import { importPages } from './imports/pages.tsx';
import { inboxPages } from './inbox/pages.tsx';
import { leadPages } from './leads/pages.ts';
import { matterPages } from './matters/pages.ts';
import { preferencePages } from './preferences.ts';
import { reportPages } from './reports/pages.ts';
import { searchPages } from './search/pages.tsx';
import { auditPages } from './settings/audit.tsx';
import { confirmPages } from './settings/confirm.tsx';
import { dateRulePages } from './settings/date-rules.tsx';
import { deletedPages } from './settings/deleted.tsx';
import { fieldPages } from './settings/fields.tsx';
import { firmPages } from './settings/firm.tsx';
import { holidayPages } from './settings/holidays.tsx';
import { keyPages } from './settings/keys.tsx';
import { eventKindPages, leadStagePages } from './settings/kinds-and-stages.tsx';
import { mailPages } from './settings/mail.tsx';
import { mePages } from './settings/me.tsx';
import { memberPages } from './settings/members.tsx';
import { numberingPages } from './settings/numbering.tsx';
import { practiceAreaPages } from './settings/practice-areas.tsx';
import { reminderPages } from './settings/reminders.tsx';
import { rolePages } from './settings/roles.tsx';
import { systemPages } from './settings/system.tsx';
import { taskListPages } from './settings/task-lists.tsx';
import { webhookPages } from './settings/webhooks.tsx';
import { setupPages } from './setup/pages.tsx';
import { signInPages } from './sign-in/pages.tsx';
import { welcomePages } from './sign-in/welcome.tsx';
import { fromListPages } from './task-lists/pages.tsx';
import { taskPages } from './tasks/pages.tsx';
import type { Page } from './visit.ts';

/** Every page and form of the application. */
export const pages: readonly Page[] = [
  ...preferencePages,
  ...signInPages,
  ...welcomePages,
  ...setupPages,
  ...homePages,
  ...inboxPages,
  ...contactPages,
  ...bulkPages,
  ...leadPages,
  ...matterPages,
  ...calendarPages,
  ...controlSheetPages,
  ...eventPages,
  ...callPages,
  ...feedPages,
  ...fromListPages,
  ...taskPages,
  ...searchPages,
  ...reportPages,
  ...mePages,
  ...confirmPages,
  ...firmPages,
  ...numberingPages,
  ...dateRulePages,
  ...eventKindPages,
  ...holidayPages,
  ...reminderPages,
  ...leadStagePages,
  ...practiceAreaPages,
  ...fieldPages,
  ...memberPages,
  ...rolePages,
  ...keyPages,
  ...webhookPages,
  ...auditPages,
  ...importPages,
  ...deletedPages,
  ...systemPages,
  ...taskListPages,
  ...mailPages,
];

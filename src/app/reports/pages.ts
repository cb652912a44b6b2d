import { seeOther } from '../headers.ts';
import { form, type Page, page } from '../visit.ts';
import { exportIntake, showIntake } from './intake.tsx';
import { exportSpeed, showSpeed } from './speed.tsx';

export const reportPages: Page[] = [
  page('/reports', 'reports:read', async () => seeOther('/reports/intake')),
  page('/reports/intake', 'reports:read', showIntake),
  form('/reports/intake/export', 'data:export', exportIntake, showIntake),
  page('/reports/speed', 'reports:read', showSpeed),
  form('/reports/speed/export', 'data:export', exportSpeed, showSpeed),
];

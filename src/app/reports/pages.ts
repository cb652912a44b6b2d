import { intake } from './intake.tsx';
import { limitationDates } from './limitation-dates.ts';
import { matters } from './matters.tsx';
import { reportPagesOf } from './report.tsx';
import { speed } from './speed.ts';
import { workload } from './workload.ts';

export const reportPages = reportPagesOf([intake, speed, matters, limitationDates, workload]);

import { intake } from './intake.tsx';
import { limitationDates } from './limitation-dates.tsx';
import { matters } from './matters.tsx';
import { reportPagesOf } from './report.tsx';
import { speed } from './speed.tsx';
import { workload } from './workload.tsx';

export const reportPages = reportPagesOf([intake, speed, matters, limitationDates, workload]);

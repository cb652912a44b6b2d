import { endOf, readPair } from '../base/certificate.ts';
import { filesOf } from '../base/certificate-settings.ts';
import { Refusal } from '../base/refusal.ts';
import type { Settings } from '../config.ts';
import { type Finding, problem, warning } from './finding.ts';

const warnDays = 21;
const dayMilliseconds = 86_400_000;

/** The certificate in the server's own files: when it ends, and what is wrong with it now or soon. */
export const examineCertificate = ({
  tls,
}: Pick<Settings, 'tls'>): { end?: Date; findings: Finding[] } => {
  const files = filesOf(tls);
  if (!files) return { findings: [] };
  try {
    const end = endOf(readPair(files));
    return { end, findings: endFindings(`The certificate in ${files.certificate}`, end) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const todo = 'Correct TLS_CERT and TLS_KEY, or what is in their files.';
    return { findings: [problem(error.message, todo)] };
  }
};

/** Whether a certificate has ended, or ends within three weeks. */
export const endFindings = (what: string, end: Date): Finding[] => {
  const left = end.getTime() - Date.now();
  const day = end.toISOString().slice(0, 10);
  const todo = 'Renew it. The server takes up new files within seconds.';
  if (left <= 0) return [problem(`${what} ended on ${day}: browsers refuse it.`, todo)];
  return left < warnDays * dayMilliseconds ? [warning(`${what} ends on ${day}.`, todo)] : [];
};

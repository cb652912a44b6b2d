import type { practiceArea } from './table.ts';
import type { PracticeAreaFull, PracticeAreaRow } from './wire.ts';

type Stored = Omit<typeof practiceArea.$inferSelect, 'ordinal' | 'deletedAt' | 'firmId'>;

export const viewPracticeArea = ({ id, name, createdAt, updatedAt }: Stored): PracticeAreaRow => ({
  id,
  name,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

export const viewPracticeAreaFull = (
  stored: Stored,
  stages: { id: string; name: string }[],
): PracticeAreaFull => ({
  ...viewPracticeArea(stored),
  stages: stages.map(({ id, name }) => ({ id, name })),
});

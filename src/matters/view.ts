import { type CustomField, viewCustomFields } from '../custom-fields/custom-field.ts';
import type { StoredValues } from '../custom-fields/table.ts';
import type { matter } from './table.ts';
import type { MatterFull, MatterRow } from './wire.ts';

/** A matter as it is read: with the current names of all it refers to. */
export type MatterWithNames = Pick<
  typeof matter.$inferSelect,
  | ('id' | 'number' | 'title' | 'description' | 'status' | 'openDate' | 'closeDate' | 'solDate')
  | ('practiceAreaId' | 'stageId' | 'createdAt' | 'updatedAt')
> & {
  practiceAreaName: string;
  stageName: string;
  clients: MatterRow['clients'];
  team: MatterRow['team'];
};

export const viewMatter = (matter: MatterWithNames): MatterRow => ({
  id: matter.id,
  publicId: matter.number,
  title: matter.title,
  description: matter.description,
  status: matter.status,
  openDate: matter.openDate,
  closeDate: matter.closeDate,
  solDate: matter.solDate,
  practiceArea: { id: matter.practiceAreaId, name: matter.practiceAreaName },
  stage: { id: matter.stageId, name: matter.stageName },
  clients: matter.clients,
  team: matter.team,
  createdAt: matter.createdAt.toISOString(),
  updatedAt: matter.updatedAt.toISOString(),
});

export const viewMatterFull = (
  matter: MatterWithNames & { customFields: StoredValues },
  defined: CustomField[],
): MatterFull => ({ ...viewMatter(matter), ...viewCustomFields(defined, matter.customFields) });

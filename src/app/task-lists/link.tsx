/** @jsxImportSource preact */
import type { AboutRecord } from '../../visibility/subject.ts';
import { Icon } from '../icon.tsx';

/** Leads to the preview of what a task list would add to a record. */
export const AppliesList = (props: { of: Pick<AboutRecord, 'about' | 'id'>; class: string }) => (
  <a class={props.class} href={`/tasks/from-list?${props.of.about}=${props.of.id}`}>
    <Icon name="list-checks" />
    Apply a task list
  </a>
);

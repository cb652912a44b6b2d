/** @jsxImportSource preact */
import { Dialog } from '../dialog.tsx';
import { Choice, Form, type Option, TextArea } from '../form.tsx';
import { rememberedByAddress } from '../remembered.ts';

type NotHiredProps = { leadId: string; reasons: readonly Option[] };

/** Why a lead was not hired: one of the firm's reasons, and an optional note. */
export const NotHired = rememberedByAddress(({ leadId, reasons }: NotHiredProps) => (
  <Dialog id="not-hired" title="Not hired" class="slim">
    <Form action={`/leads/${leadId}/not-hired`} save="Not hired" draft={`lead:${leadId}:not-hired`}>
      <Choice name="reasonId" label="Reason" options={reasons} none="Choose a reason" />
      <TextArea name="note" label="Note" required={false} rows={3} />
    </Form>
  </Dialog>
));

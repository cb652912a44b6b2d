ALTER TABLE "member" ALTER COLUMN "mailed_kinds" SET DEFAULT '{"limitation.near","limitation.unheld","task.assigned","lead.assigned","matter.added","event.invited","event.cancelled","account.warned"}';--> statement-breakpoint
ALTER TABLE "receipt" ADD COLUMN "escalated_on" date;--> statement-breakpoint
update member set mailed_kinds = array_append(mailed_kinds, 'limitation.unheld');

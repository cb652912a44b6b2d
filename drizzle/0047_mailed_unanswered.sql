ALTER TABLE "member" ALTER COLUMN "mailed_kinds" SET DEFAULT '{"limitation.near","limitation.unheld","task.assigned","task.unheld","lead.assigned","lead.unheld","matter.added","event.invited","event.cancelled","event.unheld","account.warned"}';--> statement-breakpoint
update member set mailed_kinds = array_append(mailed_kinds, 'lead.unheld');

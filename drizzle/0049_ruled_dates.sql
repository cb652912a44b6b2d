CREATE TABLE "ruled_date" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"rule_id" uuid NOT NULL,
	"matter_id" uuid NOT NULL,
	"task_id" uuid,
	"event_id" uuid,
	"counted_from" date NOT NULL,
	"day" date NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "ruled_date_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "ruled_date_is_one" CHECK (num_nonnulls(task_id, event_id) = 1)
);
--> statement-breakpoint
ALTER TABLE "ruled_date" ADD CONSTRAINT "ruled_date_rule" FOREIGN KEY ("firm_id","rule_id") REFERENCES "public"."date_rule"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ruled_date" ADD CONSTRAINT "ruled_date_matter" FOREIGN KEY ("firm_id","matter_id") REFERENCES "public"."matter"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ruled_date" ADD CONSTRAINT "ruled_date_task" FOREIGN KEY ("firm_id","task_id") REFERENCES "public"."task"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ruled_date" ADD CONSTRAINT "ruled_date_event" FOREIGN KEY ("firm_id","event_id") REFERENCES "public"."calendar_event"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ruled_date_of_matter" ON "ruled_date" USING btree ("firm_id","matter_id");
CREATE TABLE "bulk_change" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"kind" text NOT NULL,
	"member_id" uuid NOT NULL,
	"act" jsonb NOT NULL,
	"request_id" text NOT NULL,
	"counts" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"done_at" timestamp (3) with time zone,
	"undo_begun_at" timestamp (3) with time zone,
	"undone_at" timestamp (3) with time zone,
	CONSTRAINT "bulk_change_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
CREATE TABLE "bulk_row" (
	"firm_id" uuid NOT NULL,
	"bulk_id" uuid NOT NULL,
	"row" integer NOT NULL,
	"record_id" uuid,
	"refusal" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "bulk_row_firm_id_bulk_id_row_pk" PRIMARY KEY("firm_id","bulk_id","row")
);
--> statement-breakpoint
ALTER TABLE "bulk_change" ADD CONSTRAINT "bulk_change_firm" FOREIGN KEY ("firm_id") REFERENCES "public"."firm"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bulk_change" ADD CONSTRAINT "bulk_change_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bulk_row" ADD CONSTRAINT "bulk_row_bulk" FOREIGN KEY ("firm_id","bulk_id") REFERENCES "public"."bulk_change"("firm_id","id") ON DELETE no action ON UPDATE no action;
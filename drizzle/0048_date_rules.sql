CREATE TABLE "date_rule" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"trigger" text NOT NULL,
	"amount" integer NOT NULL,
	"unit" text NOT NULL,
	"rolling" text NOT NULL,
	"practice_area_id" uuid,
	"makes" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "date_rule_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
ALTER TABLE "date_rule" ADD CONSTRAINT "date_rule_firm" FOREIGN KEY ("firm_id") REFERENCES "public"."firm"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "date_rule" ADD CONSTRAINT "date_rule_practice_area" FOREIGN KEY ("firm_id","practice_area_id") REFERENCES "public"."practice_area"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "date_rule_name" ON "date_rule" USING btree ("firm_id","name") WHERE deleted_at is null;
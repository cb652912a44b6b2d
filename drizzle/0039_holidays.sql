CREATE TABLE "holiday" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"day" date NOT NULL,
	"name" text NOT NULL,
	"is_own" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "holiday_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
ALTER TABLE "firm" ADD COLUMN "holidays_of" text;--> statement-breakpoint
ALTER TABLE "firm" ADD COLUMN "holiday_edition" text;--> statement-breakpoint
ALTER TABLE "holiday" ADD CONSTRAINT "holiday_firm" FOREIGN KEY ("firm_id") REFERENCES "public"."firm"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "holiday_on" ON "holiday" USING btree ("firm_id","day") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "holiday_own" ON "holiday" USING btree ("firm_id","day") WHERE is_own and deleted_at is null;
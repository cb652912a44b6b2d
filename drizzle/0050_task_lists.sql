CREATE TABLE "task_list" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"practice_area_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "task_list_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
CREATE TABLE "task_list_line" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"list_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"title" text NOT NULL,
	"start_day" text,
	"amount" integer NOT NULL,
	"unit" text NOT NULL,
	"assignee" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "task_list_line_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
ALTER TABLE "task_list" ADD CONSTRAINT "task_list_firm" FOREIGN KEY ("firm_id") REFERENCES "public"."firm"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task_list" ADD CONSTRAINT "task_list_practice_area" FOREIGN KEY ("firm_id","practice_area_id") REFERENCES "public"."practice_area"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task_list_line" ADD CONSTRAINT "task_list_line_list" FOREIGN KEY ("firm_id","list_id") REFERENCES "public"."task_list"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "task_list_name" ON "task_list" USING btree ("firm_id","name") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "task_list_line_of_list" ON "task_list_line" USING btree ("firm_id","list_id","position");
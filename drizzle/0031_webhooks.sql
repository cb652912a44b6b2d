CREATE TABLE "webhook_delivery" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"message_id" text NOT NULL,
	"type" text NOT NULL,
	"record_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"answer" smallint,
	"failure" text,
	"milliseconds" integer NOT NULL,
	"try_number" smallint NOT NULL,
	"is_last" boolean NOT NULL,
	CONSTRAINT "webhook_delivery_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoint" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"ordinal" bigint NOT NULL,
	"member_id" uuid NOT NULL,
	"url" text NOT NULL,
	"description" text,
	"types" text[] NOT NULL,
	"resources" text[],
	"status" text NOT NULL,
	"reason" text,
	"status_at" timestamp (3) with time zone NOT NULL,
	"rotated_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "webhook_endpoint_firm_id_id_pk" PRIMARY KEY("firm_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_message" (
	"firm_id" uuid NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"seal_number" bigint NOT NULL,
	"record_id" uuid NOT NULL,
	"tries" smallint NOT NULL,
	"next_try_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhook_message_firm_id_endpoint_id_seal_number_pk" PRIMARY KEY("firm_id","endpoint_id","seal_number")
);
--> statement-breakpoint
CREATE TABLE "webhook_sending" (
	"firm_id" uuid NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"secret" text NOT NULL,
	"former_secret" text,
	"former_ends_at" timestamp (3) with time zone,
	"cursor" bigint,
	"replay_until" bigint DEFAULT 0 NOT NULL,
	"turn" bigint DEFAULT 0 NOT NULL,
	"turn_ends_at" timestamp (3) with time zone,
	"last_success_at" timestamp (3) with time zone,
	"failing_since" timestamp (3) with time zone,
	"held_until" timestamp (3) with time zone,
	CONSTRAINT "webhook_sending_firm_id_endpoint_id_pk" PRIMARY KEY("firm_id","endpoint_id")
);
--> statement-breakpoint
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_endpoint" FOREIGN KEY ("firm_id","endpoint_id") REFERENCES "public"."webhook_endpoint"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_message" ADD CONSTRAINT "webhook_message_endpoint" FOREIGN KEY ("firm_id","endpoint_id") REFERENCES "public"."webhook_endpoint"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_sending" ADD CONSTRAINT "webhook_sending_endpoint" FOREIGN KEY ("firm_id","endpoint_id") REFERENCES "public"."webhook_endpoint"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_delivery_endpoint" ON "webhook_delivery" USING btree ("firm_id","endpoint_id","id");--> statement-breakpoint
CREATE INDEX "webhook_delivery_age" ON "webhook_delivery" USING btree ("at");--> statement-breakpoint
CREATE INDEX "webhook_endpoint_member" ON "webhook_endpoint" USING btree ("firm_id","member_id");
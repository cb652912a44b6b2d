CREATE TABLE "known_browser" (
	"firm_id" uuid NOT NULL,
	"member_id" uuid NOT NULL,
	"digest" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "known_browser_firm_id_member_id_digest_pk" PRIMARY KEY("firm_id","member_id","digest")
);
--> statement-breakpoint
ALTER TABLE "known_browser" ADD CONSTRAINT "known_browser_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "known_browser_digest" ON "known_browser" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "known_browser_age" ON "known_browser" USING btree ("seen_at");
ALTER TABLE "api_key" DROP CONSTRAINT "api_key_digest";--> statement-breakpoint
CREATE INDEX "api_key_digest" ON "api_key" USING btree ("digest");--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_of_firm" UNIQUE("firm_id","digest");
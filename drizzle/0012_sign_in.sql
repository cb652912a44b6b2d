CREATE TABLE "authenticator" (
	"firm_id" uuid NOT NULL,
	"member_id" uuid NOT NULL,
	"secret" text NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"last_step" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "authenticator_firm_id_member_id_pk" PRIMARY KEY("firm_id","member_id")
);
--> statement-breakpoint
CREATE TABLE "passkey" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"member_id" uuid NOT NULL,
	"name" text NOT NULL,
	"credential_id" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"uses" bigint NOT NULL,
	"transports" text[] NOT NULL,
	"is_synced" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "passkey_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "passkey_of_firm" UNIQUE("firm_id","credential_id")
);
--> statement-breakpoint
CREATE TABLE "password" (
	"firm_id" uuid NOT NULL,
	"member_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"set_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "password_firm_id_member_id_pk" PRIMARY KEY("firm_id","member_id")
);
--> statement-breakpoint
CREATE TABLE "recovery_code" (
	"firm_id" uuid NOT NULL,
	"member_id" uuid NOT NULL,
	"digest" "bytea" NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "recovery_code_firm_id_member_id_digest_pk" PRIMARY KEY("firm_id","member_id","digest")
);
--> statement-breakpoint
CREATE TABLE "session" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"member_id" uuid NOT NULL,
	"digest" "bytea" NOT NULL,
	"signed_in_with" text NOT NULL,
	"address" text NOT NULL,
	"browser" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"proven_at" timestamp (3) with time zone,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "session_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "session_of_firm" UNIQUE("firm_id","digest")
);
--> statement-breakpoint
CREATE TABLE "sign_in_link" (
	"firm_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"member_id" uuid NOT NULL,
	"digest" "bytea" NOT NULL,
	"purpose" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "sign_in_link_firm_id_id_pk" PRIMARY KEY("firm_id","id"),
	CONSTRAINT "sign_in_link_of_firm" UNIQUE("firm_id","digest")
);
--> statement-breakpoint
ALTER TABLE "authenticator" ADD CONSTRAINT "authenticator_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkey" ADD CONSTRAINT "passkey_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "password" ADD CONSTRAINT "password_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session" ADD CONSTRAINT "session_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_link" ADD CONSTRAINT "sign_in_link_member" FOREIGN KEY ("firm_id","member_id") REFERENCES "public"."member"("firm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "passkey_credential" ON "passkey" USING btree ("credential_id");--> statement-breakpoint
CREATE INDEX "passkey_member" ON "passkey" USING btree ("firm_id","member_id");--> statement-breakpoint
CREATE INDEX "session_digest" ON "session" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "session_member" ON "session" USING btree ("firm_id","member_id");--> statement-breakpoint
CREATE INDEX "session_age" ON "session" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "sign_in_link_digest" ON "sign_in_link" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "sign_in_link_member" ON "sign_in_link" USING btree ("firm_id","member_id");--> statement-breakpoint
CREATE INDEX "sign_in_link_age" ON "sign_in_link" USING btree ("expires_at");
--> statement-breakpoint
-- A member who is deactivated is signed out, and stays so when they are activated again. Here, and not in
-- the verbs: members stand below sign-in, and no verb may forget it.
create function sign_out_deactivated() returns trigger language plpgsql as $$
begin
  update session set ended_at = new.deactivated_at
    where firm_id = new.firm_id and member_id = new.id and ended_at is null;
  update sign_in_link set used_at = new.deactivated_at
    where firm_id = new.firm_id and member_id = new.id and used_at is null;
  return null;
end $$;
--> statement-breakpoint
create trigger sign_out_deactivated after update of deactivated_at on member
  for each row when (new.deactivated_at is not null and old.deactivated_at is null)
  execute function sign_out_deactivated();
--> statement-breakpoint
-- What a passkey was asked to sign, until it answers: a crash may lose it, and it is not backed up.
-- Nobody has said yet who they are, so that its firm is the nil id where a sign-in begins.
create unlogged table passkey_challenge (
  firm_id uuid not null,
  digest bytea not null,
  expires_at timestamptz not null,
  primary key (firm_id, digest)
);

CREATE TABLE "audit_signature" (
	"firm_id" uuid NOT NULL,
	"seal_number" bigint NOT NULL,
	"public_key" text NOT NULL,
	"signed_at" timestamp (3) with time zone NOT NULL,
	"signature" text NOT NULL,
	CONSTRAINT "audit_signature_firm_id_seal_number_public_key_pk" PRIMARY KEY("firm_id","seal_number","public_key")
);
--> statement-breakpoint
-- As the audit log and its seals: written once.
create trigger audit_signature_append_only before update or delete on audit_signature
  for each row execute function refuse_change();
--> statement-breakpoint
create trigger audit_signature_no_truncate before truncate on audit_signature
  for each statement execute function refuse_change();
--> statement-breakpoint
revoke update, delete, truncate on audit_signature from public, current_user;

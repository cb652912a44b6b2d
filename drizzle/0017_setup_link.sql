CREATE TABLE "setup_link" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"token" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "setup_link_is_only" CHECK ("setup_link"."is_only")
);

CREATE TABLE "certificate" (
	"directory" text NOT NULL,
	"names" text NOT NULL,
	"chain" text,
	"key" text,
	"ends_at" timestamp (3) with time zone,
	"renews_at" timestamp (3) with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"trying_since" timestamp (3) with time zone,
	"next_try_at" timestamp (3) with time zone NOT NULL,
	"barred_until" timestamp (3) with time zone,
	"refused_at" timestamp (3) with time zone,
	"refused" jsonb,
	CONSTRAINT "certificate_directory_names_pk" PRIMARY KEY("directory","names")
);
--> statement-breakpoint
CREATE TABLE "certificate_account" (
	"directory" text PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"made_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "certificate_challenge" (
	"token" text PRIMARY KEY NOT NULL,
	"answer" text NOT NULL,
	"made_at" timestamp (3) with time zone NOT NULL
);

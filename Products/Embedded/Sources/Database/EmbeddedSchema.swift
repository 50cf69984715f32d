import TenonSQLite

/// The tables of ``EmbeddedDatabase``.
///
/// - `accounts`: the accounts of each project. Their email addresses are unique within it.
/// - `sessions`: the refresh tokens, with the account, the provider and the time of the sign-in, and the
///   claims of a custom token and the second factor. Those of deleted accounts remain.
/// - `identities`: the accounts at other providers that are linked to an account of the project.
/// - `codes`: the unused codes that Firebase would send by email, numbered in the order of their creation.
/// - `providers`: the configurations of identity providers.
/// - `tenants`: the tenants of each project. In the tables above, `project` is the project's ID, or the
///   key of a tenant (``EmbeddedDatabase/space(of:)``), so that the users of each are wholly apart.
/// - `objects`: the metadata of the live objects of each bucket. `content` refers to `contents`.
/// - `versions`: those of noncurrent versions, whose `expires` is `NULL`, and of soft-deleted objects, which
///   are deleted at that time.
/// - `contents`, `pieces`: the bytes of objects and of uploads, in pieces at their positions.
/// - `drafts`: the contents that belong to no object yet.
/// - `buckets`: the buckets that were created explicitly, with their properties.
/// - `multipart_uploads`, `parts`: the multipart uploads of the XML API, and the contents of their parts.
/// - `hmac_keys`: the keys of service accounts for the XML API, by their access IDs.
/// - `triggers`, `events`: see ``EventSchema``.
/// - `app_check_keys`: the key with which App Check tokens are signed, one row.
/// - `consumed_tokens`: the App Check tokens that were consumed, until they expire, in seconds since 1970.
/// - `debug_tokens`: the debug tokens of apps; the secrets are digests. `debug_token_projects` has the projects
///   in which one was ever registered.
/// - `uploads`: the resumable uploads, with the time at which they began. `is_active` is 0 for those that
///   were finished or cancelled.
///
/// Records are JSON. Times are milliseconds since 1970.
enum EmbeddedSchema {
  /// The steps of the schema from the first version on. Released steps must not be changed.
  static let migrations = [
    Migration(
      """
      CREATE TABLE accounts (
        project TEXT NOT NULL, id TEXT NOT NULL, email TEXT, record BLOB NOT NULL,
        PRIMARY KEY (project, id), UNIQUE (project, email)
      );
      CREATE TABLE sessions (
        project TEXT NOT NULL, refresh_token TEXT NOT NULL, account TEXT NOT NULL, provider TEXT NOT NULL,
        epoch INTEGER NOT NULL, issued INTEGER NOT NULL,
        PRIMARY KEY (project, refresh_token)
      ) WITHOUT ROWID;
      CREATE TABLE contents (id INTEGER PRIMARY KEY AUTOINCREMENT, created INTEGER NOT NULL);
      CREATE TABLE pieces (
        content INTEGER NOT NULL, position INTEGER NOT NULL, bytes BLOB NOT NULL,
        PRIMARY KEY (content, position)
      );
      CREATE TABLE objects (
        bucket TEXT NOT NULL, name TEXT NOT NULL, content INTEGER NOT NULL, record BLOB NOT NULL,
        PRIMARY KEY (bucket, name)
      );
      CREATE INDEX objects_by_content ON objects (content);
      CREATE TABLE uploads (id TEXT PRIMARY KEY, started INTEGER NOT NULL, record BLOB NOT NULL);
      """
    ),
    // Emailed codes, identity providers, and the claims of custom tokens.
    Migration(
      """
      ALTER TABLE sessions ADD COLUMN claims TEXT;
      CREATE TABLE codes (
        number INTEGER PRIMARY KEY AUTOINCREMENT, project TEXT NOT NULL, code TEXT NOT NULL, record BLOB NOT NULL,
        UNIQUE (project, code)
      );
      CREATE TABLE identities (
        project TEXT NOT NULL, provider TEXT NOT NULL, raw_id TEXT NOT NULL, email TEXT, account TEXT NOT NULL,
        PRIMARY KEY (project, provider, raw_id)
      ) WITHOUT ROWID;
      CREATE INDEX identities_by_account ON identities (project, account);
      CREATE INDEX identities_by_email ON identities (project, email);
      """
    ),
    // From this version on, pages have checksums. Earlier versions of the program can't write them.
    Migration(""),
    // Limits the number of uploads, of active ones and of ended ones separately.
    Migration(
      """
      ALTER TABLE uploads ADD COLUMN is_active INTEGER NOT NULL DEFAULT 1;
      CREATE INDEX uploads_by_start ON uploads (is_active, started);
      """
    ),
    // Finds what an interrupted upload left without searching all contents; buckets that exist without
    // objects.
    Migration(
      """
      CREATE TABLE drafts (content INTEGER PRIMARY KEY);
      INSERT INTO drafts SELECT id FROM contents WHERE id NOT IN (SELECT content FROM objects);
      CREATE TABLE buckets (
        name TEXT PRIMARY KEY, created INTEGER NOT NULL, metageneration INTEGER NOT NULL, properties BLOB NOT NULL
      ) WITHOUT ROWID;
      """
    ),
    EventSchema.tables,
    // Second factors of sign-ins.
    Migration("ALTER TABLE sessions ADD COLUMN second_factor TEXT;"),
    // Tenants.
    Migration(
      """
      CREATE TABLE tenants (
        project TEXT NOT NULL, id TEXT NOT NULL, record BLOB NOT NULL, PRIMARY KEY (project, id)
      ) WITHOUT ROWID;
      """
    ),
    // Objects that are no longer live; when a bucket's properties were last changed.
    Migration(
      """
      CREATE TABLE versions (
        bucket TEXT NOT NULL, name TEXT NOT NULL, generation INTEGER NOT NULL, content INTEGER NOT NULL,
        expires INTEGER, record BLOB NOT NULL,
        PRIMARY KEY (bucket, name, generation)
      );
      CREATE INDEX versions_by_content ON versions (content);
      CREATE INDEX versions_by_expiry ON versions (expires) WHERE expires IS NOT NULL;
      ALTER TABLE buckets ADD COLUMN updated INTEGER NOT NULL DEFAULT 0;
      """
    ),
    // IAM policies and notification configurations of buckets.
    Migration(
      "ALTER TABLE buckets ADD COLUMN policy BLOB; ALTER TABLE buckets ADD COLUMN notifications BLOB;"),
    // The accounts of passkeys.
    Migration(
      """
      CREATE TABLE passkeys (
        project TEXT NOT NULL, credential TEXT NOT NULL, account TEXT NOT NULL, PRIMARY KEY (project, credential)
      ) WITHOUT ROWID;
      CREATE INDEX passkeys_by_account ON passkeys (project, account);
      """
    ),
    // Multipart uploads.
    Migration(
      """
      CREATE TABLE multipart_uploads (
        id TEXT PRIMARY KEY, bucket TEXT NOT NULL, name TEXT NOT NULL, started INTEGER NOT NULL,
        record BLOB NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX multipart_uploads_by_name ON multipart_uploads (bucket, name, started);
      CREATE INDEX multipart_uploads_by_start ON multipart_uploads (started);
      CREATE TABLE parts (
        upload TEXT NOT NULL, number INTEGER NOT NULL, content INTEGER NOT NULL, size INTEGER NOT NULL,
        md5 TEXT NOT NULL, crc32c TEXT NOT NULL, updated INTEGER NOT NULL,
        PRIMARY KEY (upload, number)
      ) WITHOUT ROWID;
      """
    ),
    // App Check.
    Migration(
      """
      CREATE TABLE app_check_keys (private_key BLOB NOT NULL);
      CREATE TABLE consumed_tokens (id TEXT PRIMARY KEY, expires INTEGER NOT NULL) WITHOUT ROWID;
      CREATE INDEX consumed_tokens_by_expiry ON consumed_tokens (expires);
      CREATE TABLE debug_token_projects (project TEXT PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE debug_tokens (
        project TEXT NOT NULL, app TEXT NOT NULL, id TEXT NOT NULL, digest BLOB NOT NULL, record BLOB NOT NULL,
        PRIMARY KEY (project, app, id), UNIQUE (project, app, digest)
      ) WITHOUT ROWID;
      """
    ),
    // Configurations of identity providers.
    Migration(
      """
      CREATE TABLE providers (
        project TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, record BLOB NOT NULL,
        PRIMARY KEY (project, kind, id)
      ) WITHOUT ROWID;
      """
    ),
    // Keys of service accounts for the XML API.
    Migration("CREATE TABLE hmac_keys (id TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;"),
  ]
}

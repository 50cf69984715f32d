import TenonFoundation

/// The media types of common files (https://www.iana.org/assignments/media-types), by the extensions of their
/// names.
enum ContentTypes {
  /// Returns the media type of a file.
  ///
  /// - Parameter name: the name of the file. Upper and lower case don't matter.
  /// - Returns: the type; `nil` if the name has no extension or an unknown one.
  static func type(ofFile name: String) -> String? {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
    let suffix = name[name.index(after: dot)...].lowercased()
    return types.first { $0.value.contains(suffix) }?.key
  }

  /// The types and the extensions, without the dot.
  private static let types: KeyValuePairs<String, Set<String>> = [
    "application/gzip": ["gz"], "application/json": ["json"], "application/msword": ["doc"],
    "application/pdf": ["pdf"], "application/rtf": ["rtf"], "application/vnd.ms-excel": ["xls"],
    "application/vnd.ms-powerpoint": ["ppt"],
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ["pptx"],
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ["xlsx"],
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ["docx"],
    "application/wasm": ["wasm"], "application/x-tar": ["tar"], "application/xml": ["xml"],
    "application/zip": ["zip"], "audio/aac": ["aac"], "audio/flac": ["flac"], "audio/mp4": ["m4a"],
    "audio/mpeg": ["mp3"], "audio/ogg": ["oga", "ogg", "opus"], "audio/wav": ["wav"], "font/otf": ["otf"],
    "font/ttf": ["ttf"], "font/woff": ["woff"], "font/woff2": ["woff2"], "image/avif": ["avif"],
    "image/bmp": ["bmp"], "image/gif": ["gif"], "image/heic": ["heic"], "image/heif": ["heif"],
    "image/jpeg": ["jpeg", "jpg"], "image/png": ["png"], "image/svg+xml": ["svg"],
    "image/tiff": ["tif", "tiff"], "image/vnd.microsoft.icon": ["ico"], "image/webp": ["webp"],
    "text/calendar": ["ics"], "text/css": ["css"], "text/csv": ["csv"], "text/html": ["htm", "html"],
    "text/javascript": ["js", "mjs"], "text/markdown": ["markdown", "md"],
    "text/plain": ["log", "text", "txt"], "text/vcard": ["vcf"], "video/mp4": ["m4v", "mp4"],
    "video/mpeg": ["mpeg", "mpg"], "video/ogg": ["ogv"], "video/quicktime": ["mov"], "video/webm": ["webm"],
    "video/x-matroska": ["mkv"], "video/x-msvideo": ["avi"],
  ]
}

/// Rules of common kinds, from which broken files are made.
enum SampleRules {
  static let files = [
    """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{database}/documents {
        function signedIn() { return request.auth != null; }
        function isAdmin() {
          return get(/databases/$(database)/documents/roles/$(request.auth.uid)).data.role == 'admin';
        }
        match /users/{uid} {
          allow read: if signedIn() && request.auth.uid == uid;
          allow create: if signedIn() && request.auth.uid == uid
            && request.resource.data.keys().hasOnly(['name', 'age'])
            && request.resource.data.name is string && request.resource.data.name.size() < 20;
          allow update: if request.resource.data.diff(resource.data).affectedKeys().hasOnly(['name']);
          allow delete: if isAdmin();
        }
        match /public/{doc=**} { allow read; allow write: if request.auth.token.email.matches('.*@corp[.]com'); }
      }
    }
    """,
    """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{database}/documents {
        match /rooms/{room} {
          // Members read and write.
          allow get, list: if request.auth.uid in resource.data.members;
          match /messages/{message} {
            function room() {
              let path = /databases/$(database)/documents/rooms/$(room);
              return get(path).data;
            }
            allow read: if request.auth.uid in room().members;
            allow create: if request.resource.data.text is string
              && request.resource.data.text.size() <= 500
              && request.resource.data.at == request.time
              && (room().open ? true : request.auth.uid == room().owner);
            allow delete: if resource.data.author == request.auth.uid || !exists(/databases/$(database)/documents/locks/$(room));
          }
        }
        match /{path=**}/comments/{id} { allow read: if true; }
      }
    }
    """,
    """
    rules_version = '2';
    service firebase.storage {
      match /b/{bucket}/o {
        match /avatars/{uid}/{file} {
          allow read;
          allow write: if request.auth.uid == uid && request.resource.size < 5 * 1024 * 1024
            && request.resource.contentType.matches('image/.*');
        }
        match /reports/{name=**} {
          allow read: if request.auth.token.groups.hasAny(['staff', "admin"]) && resource.timeCreated
            < request.time - duration.value(1, 'd');
          allow create, update: if -1 + 2 == 1 && [1, 2, 3][0:1] == [1] && {'a': 1.5}['a'] > .5;
        }
      }
    }
    """,
  ]
}

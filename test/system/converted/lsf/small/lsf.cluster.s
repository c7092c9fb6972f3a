Begin Host
HOSTNAME model type server RESOURCES
one.example.org ! ! 1 ()
End Host
